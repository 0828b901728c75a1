# make chapter=X run args="...": build and run one chapter.
. common/make/lib.sh
tuned=yes
start
"$program" "$@"
