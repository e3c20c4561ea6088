import { resolve } from 'node:path'
import { MODEL_FOLDER } from '../../app/open/embedders.ts'
import { packetFaults } from '../../packets/faults.ts'
import { parseReference, sourceUri } from '../../packets/format/reference.ts'
import { uploadModel } from '../../packets/transfer/publish-model.ts'
import { packetFolder } from '../../platform/packets/folder.ts'
import { hasSentenceModel } from '../../platform/packets/sentence-model.ts'
import { usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand } from '../command/subcommand.ts'
import { NO_ABORT, needText, packetSettings } from './settings.ts'
import { uploadArtifact } from './upload.ts'

/** The installed model, or one that the caller has in a folder. */
const modelFolder = (asked: string | undefined): string => {
  if (asked !== undefined) return resolve(asked)
  if (hasSentenceModel(MODEL_FOLDER)) return MODEL_FOLDER
  throw packetFaults.model('this build of Warrant has no model', {
    fix: 'Install a build that has it, or name a folder with the files of a model.',
  })
}

/** Publishes a model, so that others can pin it with `--embedder`. */
export const publishModel: Subcommand = async (invocation, [asked, folder]) => {
  const { config } = packetSettings(invocation)
  requireWritable(config, '`warrant packet publish-model`')
  const ref = needText(asked, 'the reference to publish the model under')
  const uri = sourceUri({ ref, registry: config.registry })
  if (uri === undefined) throw usageFaults.argument('name a registry with --registry, or an oci:// reference')
  const target = parseReference(uri)
  const open = packetFolder(modelFolder(folder))
  return uploadArtifact(
    invocation,
    config,
    (pusher, options) => uploadModel(pusher, open, target, options, NO_ABORT),
    [uri],
  )
}
