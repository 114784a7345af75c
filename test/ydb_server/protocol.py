"""The official protocol modules under short names; nothing else imports them."""

import ydb  # noqa: F401  (chooses the modules that fit the protobuf version installed)
from ydb._grpc.common import (ydb_auth_v1_pb2_grpc, ydb_discovery_v1_pb2_grpc,
                              ydb_operation_v1_pb2_grpc, ydb_query_v1_pb2_grpc,
                              ydb_scheme_v1_pb2_grpc, ydb_table_v1_pb2_grpc)
from ydb._grpc.common.protos import (ydb_auth_pb2, ydb_common_pb2, ydb_discovery_pb2,
                                     ydb_issue_message_pb2, ydb_operation_pb2, ydb_query_pb2,
                                     ydb_scheme_pb2, ydb_status_codes_pb2, ydb_table_pb2,
                                     ydb_value_pb2)

auth = ydb_auth_pb2
discovery = ydb_discovery_pb2
feature = ydb_common_pb2.FeatureFlag
issue = ydb_issue_message_pb2
operation = ydb_operation_pb2
query = ydb_query_pb2
scheme = ydb_scheme_pb2
status = ydb_status_codes_pb2.StatusIds
table = ydb_table_pb2
value = ydb_value_pb2

AuthServicer = ydb_auth_v1_pb2_grpc.AuthServiceServicer
DiscoveryServicer = ydb_discovery_v1_pb2_grpc.DiscoveryServiceServicer
OperationServicer = ydb_operation_v1_pb2_grpc.OperationServiceServicer
QueryServicer = ydb_query_v1_pb2_grpc.QueryServiceServicer
SchemeServicer = ydb_scheme_v1_pb2_grpc.SchemeServiceServicer
TableServicer = ydb_table_v1_pb2_grpc.TableServiceServicer

add_auth = ydb_auth_v1_pb2_grpc.add_AuthServiceServicer_to_server
add_discovery = ydb_discovery_v1_pb2_grpc.add_DiscoveryServiceServicer_to_server
add_operation = ydb_operation_v1_pb2_grpc.add_OperationServiceServicer_to_server
add_query = ydb_query_v1_pb2_grpc.add_QueryServiceServicer_to_server
add_scheme = ydb_scheme_v1_pb2_grpc.add_SchemeServiceServicer_to_server
add_table = ydb_table_v1_pb2_grpc.add_TableServiceServicer_to_server
