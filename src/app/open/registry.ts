import { join } from 'node:path'
import { dockerCredentials } from '../../platform/registry/docker-credentials.ts'
import { OciHttp } from '../../platform/registry/http.ts'
import { DEFAULT_OCI } from '../../platform/registry/settings.ts'
import type { Config } from '../config/settings.ts'

/** The host of a registry in the settings, which may have a scheme and a path. */
const hostOf = (registry: string): string =>
  registry
    .replace(/^(?:oci:\/\/)+/, '')
    .split('/')[0]
    ?.toLowerCase() ?? ''

/** Whether a catalog is on a registry, not in a file. */
export const isReference = (catalog: string | undefined): boolean => catalog?.startsWith('oci://') === true

const credentialFile = ({ DOCKER_CONFIG, HOME, USERPROFILE }: NodeJS.ProcessEnv): string =>
  join(DOCKER_CONFIG || join(HOME || USERPROFILE || '.', '.docker'), 'config.json')

/** HTTP access to registries. Configured hosts may be anywhere; all others must have public addresses. */
export const openRegistry = (
  config: Config,
  environment: NodeJS.ProcessEnv,
  more: readonly string[] = [],
): OciHttp => {
  const { registry, catalog } = config
  const named = [registry, isReference(catalog) ? catalog : undefined].filter((one) => one !== undefined)
  return new OciHttp({
    ...DEFAULT_OCI,
    trusted: [...named, ...config.registries, ...more].map(hostOf),
    plain: config.plainRegistries.map(hostOf),
    allowed: config.allowedRegistries.map(hostOf),
    credentials: dockerCredentials(credentialFile(environment), environment),
  })
}
