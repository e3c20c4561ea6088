import { lazyCrypto } from '../../kernel/encoding/crypto.ts'
import type { Ids } from '../../kernel/ports.ts'

export const randomIds: Ids = { next: () => lazyCrypto().randomUUID() }
