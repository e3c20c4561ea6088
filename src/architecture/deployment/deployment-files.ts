import { pushTo } from '../../kernel/multimap.ts'
import type { Configuration } from '../source/configuration.ts'
import type { ConfigEntry } from '../source/configuration-files.ts'
import { isTemplatePath } from '../source/template-text.ts'
import { composeContainers, isComposeFile } from './compose-files.ts'
import type { DeclaredContainer } from './declared-container.ts'
import { chartContainers } from './helm-chart.ts'
import { kubernetesContainers } from './kubernetes-manifests.ts'

/** Containers in compose files and Kubernetes manifests, in the order of their files. */
export const declaredContainers = (configuration: Configuration): readonly DeclaredContainer[] => {
  const byFile = new Map<string, ConfigEntry[]>()
  for (const one of configuration.settings) pushTo(byFile, one.file, one)
  const manifests = [...byFile].filter(
    ([file, entries]) =>
      !isComposeFile(file) && !isTemplatePath(file) && entries.some(({ key }) => key === 'apiVersion'),
  )
  return [
    ...composeContainers(byFile, configuration.variables),
    ...kubernetesContainers(manifests),
    ...chartContainers([...byFile]),
  ]
}
