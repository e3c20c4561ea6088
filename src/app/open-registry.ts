import { join } from 'node:path'
import { dockerCredentials } from '../platform/docker-login.ts'
import { OciHttp } from '../platform/oci-http.ts'
import { DEFAULT_OCI } from '../platform/oci-settings.ts'
import type { Config } from './config.ts'

/** The host of a registry as it may be written in settings: with a scheme, with a path. */
const hostOf = (registry: string): string =>
  registry
    .replace(/^(?:oci:\/\/)+/, '')
    .split('/')[0]
    ?.toLowerCase() ?? ''

/** Whether a catalog lies on a registry and not in a file. */
export const isReference = (catalog: string | undefined): boolean => catalog?.startsWith('oci://') === true

const credentialFile = ({ DOCKER_CONFIG, HOME, USERPROFILE }: NodeJS.ProcessEnv): string =>
  join(DOCKER_CONFIG || join(HOME || USERPROFILE || '.', '.docker'), 'config.json')

/** How registries are spoken to. Those the operator named may lie anywhere; all others in the open only. */
export const registryHere = (
  config: Config,
  environment: NodeJS.ProcessEnv,
  more: readonly string[] = [],
): OciHttp => {
  const own = (['registry', 'catalog'] as const).flatMap((key) => {
    const address = config[key]
    // What a file says that came with a repository may lie in the open, like any other.
    if (address === undefined || config.found?.has(key)) return []
    return key === 'catalog' && !isReference(address) ? [] : [address]
  })
  const named = [...own, ...config.registries, ...more]
  return new OciHttp({
    ...DEFAULT_OCI,
    trusted: named.map(hostOf),
    plain: config.plainRegistries.map(hostOf),
    allowed: config.allowedRegistries.map(hostOf),
    credentials: dockerCredentials(credentialFile(environment), environment),
  })
}
