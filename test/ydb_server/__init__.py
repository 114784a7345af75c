"""A server that speaks YDB's gRPC protocol and executes a subset of YQL on PostgreSQL.

It tests clients: their protocol, their statements, what they do when something fails. It says
nothing about speed. README.md lists the subset and the switches.
"""
