import type { Framework } from '../connections/framework.ts'
import { GO_FRAMEWORKS } from './go/go-frameworks.ts'
import { JVM_FRAMEWORKS } from './jvm/jvm-frameworks.ts'
import { DJANGO } from './python/django.ts'
import { PYTHON_ROUTERS } from './python/routers.ts'
import { SCRIPT_DATA_CLIENTS } from './script/data-clients.ts'
import { SCRIPT_HTTP_CLIENTS } from './script/http-clients.ts'
import { SCRIPT_MESSAGES } from './script/messages.ts'
import { NEST } from './script/nest.ts'
import { NEXT } from './script/next.ts'
import { ROUTER_FRAMEWORKS } from './script/routers.ts'
import { TRPC } from './script/trpc.ts'
import { SWIFT_FRAMEWORKS } from './swift/swift-frameworks.ts'

/** All frameworks with a detector of their own. Spring MVC, JAX-RS and clients of Spring are in `project/connections`. */
export const FRAMEWORKS: readonly Framework[] = [
  ...ROUTER_FRAMEWORKS,
  NEST,
  NEXT,
  TRPC,
  SCRIPT_HTTP_CLIENTS,
  SCRIPT_DATA_CLIENTS,
  SCRIPT_MESSAGES,
  ...PYTHON_ROUTERS,
  DJANGO,
  ...GO_FRAMEWORKS,
  ...SWIFT_FRAMEWORKS,
  ...JVM_FRAMEWORKS,
]
