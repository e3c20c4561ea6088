import type { Framework } from '../../connections/framework.ts'
import { KTOR } from './ktor.ts'
import { KTOR_CLIENT } from './ktor-client.ts'

/** Frameworks of Java and Kotlin with a detector of their own. */
export const JVM_FRAMEWORKS: readonly Framework[] = [KTOR, KTOR_CLIENT]
