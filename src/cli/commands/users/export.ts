import { resolve } from 'node:path'
import { passphraseOptions } from '../backup/shared/passphrase.js'
import { throwIfInterrupted, untilInterrupted } from '../../client/interruption.js'
import { command } from '../../command.js'
import { userArgument } from '../../client/user.js'
import { flag, text } from '../../framework/option.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'

/** `coffer users export`. */
export const exportUser = command({
  path: ['users', 'export'],
  summary: 'Export an account to a folder',
  description:
    'Writes all data of the account: streams, events with all earlier versions (regardless of versioning.forceKeepHistory), deletions, attached files, points of series, profile sets, accesses with their tokens, webhooks, followed slices. Each kind is a file of JSON lines, described in coffer-account(5), so that other programs can read it; coffer users import restores the account from it. The export is a consistent snapshot, and a running node keeps working.\n\n' +
    'Keep the folder as secret as the account: it contains the password hash and the tokens of apps, and only you can read it (mode 0600). With a passphrase it is sealed, like a backup. Delegations, one-time secrets, pairings and audit records are not exported.\n\nFor a remote node (--node) the folder is written and sealed on this machine: the remote node never receives the passphrase.',
  arguments: { username: userArgument },
  options: {
    to: text('Folder to write; it must be empty or not exist', { placeholder: 'folder', required: true, completes: 'folder' }),
    ...passphraseOptions,
    withoutFiles: flag('Leave out the contents of attached files'),
  },
  examples: [
    { type: 'coffer users export ana-lovelace --to ~/ana', description: 'write plain files' },
    { type: 'coffer users export ana-lovelace --to /mnt/disk/ana --passphrase-file ~/.coffer-passphrase', description: 'seal the files' },
  ],
  jsonLines: true,
  json: 'the last line is {"event":"done","path","bytes","sealed","counts":{"streams","events","attachments",…},"problems"}',
  offline: true,
  async run(context, options) {
    const { out, place } = context
    const [{ exportAccountTo, interruptedArchive }, { archiveProblem }, { optionalPassphrase }, { amount, bytes, counted }] = await Promise.all([
      import('./transfer/exportAccount.js'),
      import('../backup/shared/problems.js'),
      import('../backup/shared/passphrase.js'),
      import('../../terminal/output/format.js'),
    ])
    const folder = resolve(options.to)
    const passphrase = await optionalPassphrase(context, options)
    const phases = startPhases(out)
    const exported: Record<string, number> = {}
    const { username, manifest, problems } = await untilInterrupted(
      (stopping) =>
        exportAccountTo(context, {
          username: options.username,
          folder,
          passphrase,
          stopping,
          withFiles: !options.withoutFiles,
          progress: (noun, count) => {
            throwIfInterrupted(stopping)
            exported[noun] = count
            phases.count(noun, count)
          },
        }),
      () => interruptedArchive(exported, folder),
    )
      .catch((error: unknown) => {
        throw archiveProblem(error, place)
      })
      .finally(() => phases.end())
    const { counts, storedBytes } = manifest
    const isSealed = manifest.sealing !== undefined
    const answer = { event: 'done', path: folder, bytes: storedBytes, sealed: isSealed, counts, problems }
    if (out.json) await out.item(answer)
    else {
      await out.result(answer, {
        id: folder,
        print: async () => {
          out.done(`Account ${username} exported: ${bytes(storedBytes)}`)
          const { users: _, eventVersions = 0, ...others } = counts
          for (const [name, count] of Object.entries(others)) if (count > 0) out.note(`  ${name} ${amount(count)}`)
          out.note(`  history: ${counted(eventVersions, 'version')}`)
          if (!isSealed) out.warn('Keep the export secret: it contains tokens and is not sealed.')
          await out.line(folder)
        },
      })
    }
    for (const problem of problems) out.warn(problem)
    return problems.length > 0 ? 3 : undefined
  },
})
