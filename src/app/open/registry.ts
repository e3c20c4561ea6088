import { join } from 'node:path'
import { lazyAsync } from '../../kernel/async/once.ts'
import { type RecordPorts, recordCall } from '../../kernel/record-call.ts'
import type { RegistryReader } from '../../packets/ports.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import { DEFAULT_OCI, OciHttp } from '../../platform/registry/http.ts'
import { dockerCredentials } from '../../platform/registry/login.ts'
import type { Config } from '../config/settings.ts'

/** The host of a registry in the settings, which may have a scheme and a path. */
const hostOf = (registry: string): string =>
  registry
    .replace(/^(?:oci:\/\/|https?:\/\/)+/, '')
    .split('/')[0]
    ?.toLowerCase() ?? ''

const credentialFile = ({ DOCKER_CONFIG, HOME, USERPROFILE }: NodeJS.ProcessEnv): string =>
  join(DOCKER_CONFIG || join(HOME || USERPROFILE || '.', '.docker'), 'config.json')

/** HTTP access to registries. Configured hosts may be anywhere; all others must have public addresses. */
export const openRegistry = (config: Config, environment: NodeJS.ProcessEnv): OciHttp => {
  const { registry = '', registries } = config
  return new OciHttp({
    ...DEFAULT_OCI,
    trusted: [registry, ...registries].filter(Boolean).map(hostOf),
    plain: registries.filter((one) => one.startsWith('http://')).map(hostOf),
    allowed: config.allowedRegistries.map(hostOf),
    credentials: dockerCredentials(credentialFile(environment), environment),
  })
}

interface Resolution {
  readonly reference: string
  readonly digest: string
}

const RESOLVE = {
  name: 'packet.resolve',
  effect: 'read',
  auditFields: ({ reference, digest }: Resolution) => ({ reference, digest }),
} as const

/** Tags that registries use for signatures of a digest. */
const SIGNATURE_TAG = /^sha256-/

/**
 * A registry whose answers are recorded: which digest a tag stood for, once for each new pair. Only in repositories. A
 * record that cannot be written is an error in the log, and no reason to refuse the packet: its digest is verified.
 */
export const recordResolutions = (
  registry: RegistryReader,
  { readOnly, store }: Config,
  root: string,
  ports: RecordPorts,
): RegistryReader => {
  const known = new Set<string>()
  const isRepository = lazyAsync(async () => (await findRepositoryRoot(root)) !== undefined)
  const record = async (value: Resolution): Promise<void> => {
    const pair = `${value.reference} ${value.digest}`
    if (known.has(pair) || readOnly || store === 'memory' || !(await isRepository.get())) return
    known.add(pair)
    const started = ports.clock.elapsed()
    await recordCall(ports, RESOLVE, { kind: 'answer', value }, { started })
  }
  return {
    resolve: async (ref, signal) => {
      const found = await registry.resolve(ref, signal)
      const { host, repository, tag = 'latest', digest } = ref
      if (digest === undefined && !SIGNATURE_TAG.test(tag))
        await record({ reference: `oci://${host}/${repository}:${tag}`, digest: found.digest })
      return found
    },
    stream: (...request) => registry.stream(...request),
    tags: (...request) => registry.tags(...request),
    referrers: (...request) => registry.referrers(...request),
  }
}
