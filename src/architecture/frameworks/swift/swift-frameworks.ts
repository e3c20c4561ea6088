import type { Framework } from '../../connections/framework.ts'
import { SWIFT_HTTP_CLIENTS } from './http-clients.ts'
import { SWIFT_STORES } from './stores.ts'
import { VAPOR } from './vapor.ts'

export const SWIFT_FRAMEWORKS: readonly Framework[] = [VAPOR, SWIFT_HTTP_CLIENTS, SWIFT_STORES]
