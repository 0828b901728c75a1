#!/bin/sh
#SBATCH --job-name=grade
#SBATCH --gpus=1
#SBATCH --cpus-per-task=8
#SBATCH --mem=32G
#SBATCH --time=02:00:00
#SBATCH --output=grade-%j.txt
#
# In the course's folder: sbatch docs/teaching/slurm.sh SUBMISSIONS OUT
# The same line again goes on where the time limit stopped it. The job ends as
# failed when any student is below a gate.

# module load cuda llvm    # what your cluster calls nvcc and clang
cd "${SLURM_SUBMIT_DIR:-.}" || exit 1
make doctor
make grade submissions="$1" out="$2"
