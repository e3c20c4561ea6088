import { randomUUID } from 'node:crypto'
import type { Ids } from '../kernel/ports.ts'

export const randomIds: Ids = { next: () => randomUUID() }
