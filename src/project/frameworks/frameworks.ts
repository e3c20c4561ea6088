import type { Framework } from '../connections/framework.ts'
import { GO_GRPC } from './go/grpc.ts'
import { GO_ROUTERS } from './go/routers.ts'
import { DJANGO } from './python/django.ts'
import { PYTHON_ROUTERS } from './python/routers.ts'
import { SCRIPT_DATA_CLIENTS } from './script/data-clients.ts'
import { GRAPHQL_CLASSES, GRAPHQL_MAPS } from './script/graphql.ts'
import { SCRIPT_HTTP_CLIENTS } from './script/http-clients.ts'
import { SCRIPT_MESSAGES } from './script/messages.ts'
import { NEST } from './script/nest.ts'
import { NEXT } from './script/next.ts'
import { ROUTER_FRAMEWORKS } from './script/routers.ts'
import { TRPC } from './script/trpc.ts'

/** All frameworks with a detector of their own. Those of Spring and JAX-RS are in `project/connections`. */
export const FRAMEWORKS: readonly Framework[] = [
  ...ROUTER_FRAMEWORKS,
  NEST,
  NEXT,
  TRPC,
  GRAPHQL_CLASSES,
  GRAPHQL_MAPS,
  SCRIPT_HTTP_CLIENTS,
  SCRIPT_DATA_CLIENTS,
  SCRIPT_MESSAGES,
  ...PYTHON_ROUTERS,
  DJANGO,
  GO_ROUTERS,
  GO_GRPC,
]
