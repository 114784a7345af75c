import sys

from ydb_server.command_line import main

sys.exit(main(sys.argv[1:]))
