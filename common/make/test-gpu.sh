# make test-gpu: everything that needs a GPU.
. common/make/lib.sh
need_python test-gpu
on=gpu choose_back_end
exec "$python" -B tests/gpu/run "$@"
