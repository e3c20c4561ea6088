import type { Framework } from '../connections/framework.ts'
import { GO_FRAMEWORKS } from './go/go-frameworks.ts'
import { JVM_FRAMEWORKS } from './jvm/jvm-frameworks.ts'
import { CELERY } from './python/celery.ts'
import { PYTHON_DATA_CLIENTS } from './python/data-clients.ts'
import { DJANGO } from './python/django.ts'
import { PYTHON_GRPC } from './python/grpc.ts'
import { PYTHON_HTTP_CLIENTS } from './python/http-clients.ts'
import { PYTHON_MESSAGES } from './python/messages.ts'
import { PYTHON_ROUTERS } from './python/routers.ts'
import { PYTHON_SETTINGS } from './python/settings.ts'
import { SCRIPT_DATA_CLIENTS } from './script/data-clients.ts'
import { GRAPHQL_CLASSES, GRAPHQL_MAPS } from './script/graphql.ts'
import { SCRIPT_HTTP_CLIENTS } from './script/http-clients.ts'
import { SCRIPT_MESSAGES } from './script/messages.ts'
import { NEST } from './script/nest.ts'
import { NEXT } from './script/next.ts'
import { SCRIPT_PROXIES } from './script/proxies.ts'
import { ROUTER_FRAMEWORKS } from './script/router-mounts.ts'
import { TRPC } from './script/trpc.ts'

/** All frameworks with a detector of their own. Spring MVC, JAX-RS and clients of Spring are in `architecture/connections`. */
export const FRAMEWORKS: readonly Framework[] = [
  ...ROUTER_FRAMEWORKS,
  NEST,
  NEXT,
  TRPC,
  GRAPHQL_CLASSES,
  GRAPHQL_MAPS,
  SCRIPT_HTTP_CLIENTS,
  SCRIPT_PROXIES,
  SCRIPT_DATA_CLIENTS,
  SCRIPT_MESSAGES,
  ...PYTHON_ROUTERS,
  DJANGO,
  PYTHON_HTTP_CLIENTS,
  CELERY,
  PYTHON_MESSAGES,
  PYTHON_GRPC,
  PYTHON_SETTINGS,
  PYTHON_DATA_CLIENTS,
  ...GO_FRAMEWORKS,
  ...JVM_FRAMEWORKS,
]
