# make charts: docs/charts/ladder.svg from the recorded results.
. common/make/lib.sh
need_python charts
exec "$python" -B common/make/charts.py "$@"
