import type { Framework } from '../../connections/framework.ts'
import { SPRING_CLOUD_GATEWAY } from './gateway.ts'
import { KTOR, KTOR_CLIENT } from './ktor.ts'
import { MICRONAUT } from './micronaut.ts'
import { APACHE_HTTP_CLIENT, DISCOVERY_CLIENT, EXPOSED, KAFKA_CLIENT, RETROFIT } from './more-clients.ts'
import { STORE_CLIENTS } from './store-clients.ts'

/** Used from both languages. */
const SHARED: readonly Omit<Framework, 'language'>[] = [
  SPRING_CLOUD_GATEWAY,
  MICRONAUT,
  RETROFIT,
  APACHE_HTTP_CLIENT,
  KAFKA_CLIENT,
  DISCOVERY_CLIENT,
  ...STORE_CLIENTS,
]

/** Frameworks of Java and Kotlin with a detector of their own. */
export const JVM_FRAMEWORKS: readonly Framework[] = [
  KTOR,
  KTOR_CLIENT,
  EXPOSED,
  ...(['java', 'kotlin'] as const).flatMap((language) => SHARED.map((one) => ({ ...one, language }))),
]
