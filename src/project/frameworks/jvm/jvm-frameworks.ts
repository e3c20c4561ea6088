import type { Framework } from '../../connections/framework.ts'
import { SPRING_CLOUD_GATEWAY } from './gateway.ts'
import { KTOR } from './ktor.ts'
import { KTOR_CLIENT } from './ktor-client.ts'

/** Used from both languages. */
const SHARED: readonly Omit<Framework, 'language'>[] = [SPRING_CLOUD_GATEWAY]

/** Frameworks of Java and Kotlin with a detector of their own. */
export const JVM_FRAMEWORKS: readonly Framework[] = [
  KTOR,
  KTOR_CLIENT,
  ...(['java', 'kotlin'] as const).flatMap((language) => SHARED.map((one) => ({ ...one, language }))),
]
