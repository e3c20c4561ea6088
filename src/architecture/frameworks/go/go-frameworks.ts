import type { Framework } from '../../connections/framework.ts'
import { GO_DATA_CLIENTS } from './data-clients.ts'
import { GO_GRPC } from './grpc.ts'
import { GO_HTTP_CLIENTS } from './http-clients.ts'
import { GO_MESSAGES } from './messages.ts'
import { GO_ROUTERS } from './routers.ts'

export const GO_FRAMEWORKS: readonly Framework[] = [
  GO_ROUTERS,
  GO_GRPC,
  GO_HTTP_CLIENTS,
  GO_DATA_CLIENTS,
  GO_MESSAGES,
]
