# make chapter=X run args="...": build and run one chapter.
. common/make/lib.sh
start
"$program" "$@"
