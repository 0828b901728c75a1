#!/bin/sh
# Gradescope runs this once, as root, when it builds the autograder's image.
set -e
apt-get update
apt-get install -y ca-certificates git make
cd /autograder/source
make setup chapter=vector_add run # builds what all chapters share, too
