import { pushTo } from '../../../kernel/multimap.ts'
import { nearest, plainName } from '../names.ts'
import type { Deployable } from '../service-draft.ts'

/** Services by the names that others use for them. */
export class ServiceNames {
  readonly #exact = new Map<string, Deployable[]>()
  readonly #plain = new Map<string, Set<Deployable>>()

  constructor(services: readonly Deployable[]) {
    for (const service of services)
      for (const name of service.aliases) {
        pushTo(this.#exact, name.toLowerCase(), service)
        const plain = plainName(name)
        this.#plain.set(plain, (this.#plain.get(plain) ?? new Set()).add(service))
      }
  }

  /** The service that the file of another one names; of several, the nearest. */
  find(name: string, file: string): Deployable | undefined {
    const exact = nearest(this.#exact.get(name.toLowerCase()) ?? [], file, ({ folder = '' }) => folder)
    if (exact !== undefined) return exact
    const plain = plainName(name)
    const [only, ...others] = plain.length < 3 ? [] : (this.#plain.get(plain) ?? [])
    return others.length === 0 ? only : undefined
  }
}
