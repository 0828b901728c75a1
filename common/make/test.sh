# make test [fuzz=N]: everything that needs no GPU.
. common/make/lib.sh
need_simulator
export fuzz="${fuzz-}"
exec "$python" -B tests/run
