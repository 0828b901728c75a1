# Quotes and tables in the lessons are those of the sources and the data.
if python3 -B common/make/lessons.py --check; then
    echo "1 passed, 0 failed"
else
    echo "0 passed, 1 failed"
    exit 1
fi
