# make ablation: gemm_10 with one idea taken out at a time, beside cuBLAS.
. common/make/lib.sh
on=${on:-gpu}
choose_back_end
[ $back_end = gpu ] || fail "make ablation: times need a GPU"
need_python ablation
build build/gpu/gemm_10_warptile
CHAPTERS_COMMIT=$(commit)
export nvcc gpu_arch CHAPTERS_COMMIT
exec "$python" -B common/make/ablation.py "$@"
