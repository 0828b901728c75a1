# make lessons: renew the code and the tables that lessons quote.
. common/make/lib.sh
need_python lessons
exec "$python" -B common/make/lessons.py "$@"
