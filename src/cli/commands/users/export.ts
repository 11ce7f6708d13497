import { resolve } from 'node:path'
import { passphraseOptions } from '../../backup/passphrase.js'
import { command } from '../../command.js'
import { flag, text } from '../../framework/option.js'
import { startPhases } from '../../terminal/output/phaseProgress.js'

/** `coffer users export`. */
export const exportUser = command({
  path: ['users', 'export'],
  summary: 'Write an account into a folder, to keep it or to take it elsewhere',
  description:
    'Writes everything that is the owner\'s: streams, events, all of their earlier versions (whatever versioning.forceKeepHistory is), what was deleted, attached files, points of series, profile sets, accesses with their tokens, webhooks, followed slices. Each kind is a file of JSON lines, described in coffer-account(5), so that other programs can read it; coffer users import makes an account of it again. All of it is as of one moment, and a node that runs goes on.\n\n' +
    'The folder is as secret as the account: it holds the hash of the password and the tokens of apps, and only you can read it (mode 0600). With a passphrase it is sealed, as backups are. Delegations, one-time secrets, pairings and records of calls stay with the node.\n\nFor a node of another machine (--node) the folder is written here, and sealed here: that node never has the passphrase.',
  arguments: { username: text('The account', { required: true, names: 'user' }) },
  options: {
    to: text('Folder to write; nothing may be there', { placeholder: 'folder', required: true, completes: 'folder' }),
    ...passphraseOptions,
    withoutFiles: flag('Leave out the bytes of attached files'),
  },
  examples: [
    { type: 'coffer users export ana-lovelace --to ~/ana', says: 'writes plain files' },
    { type: 'coffer users export ana-lovelace --to /mnt/disk/ana --passphrase-file ~/.coffer-passphrase', says: 'seals them' },
  ],
  jsonLines: true,
  json: 'the last line is {"event":"done","path","bytes","sealed","counts":{"streams","events","attachments",…},"problems"}',
  offline: true,
  async run(context, options) {
    const { out, place } = context
    const [{ exportAccountTo: exportUserTo }, { archiveProblem }, { givenPassphrase }, { amount, bytes, counted }] = await Promise.all([
      import('../../transfer/exportAccount.js'),
      import('../../backup/problems.js'),
      import('../../backup/passphrase.js'),
      import('../../terminal/output/format.js'),
    ])
    const folder = resolve(options.to)
    const passphrase = await givenPassphrase(context, options)
    const phases = startPhases(out)
    const { manifest, problems } = await exportUserTo(context, {
      username: options.username,
      folder,
      passphrase,
      withFiles: !options.withoutFiles,
      progress: (noun, count) => phases.count(noun, count),
    })
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
          out.done(`Account ${options.username} written: ${bytes(storedBytes)}`)
          const { users: _, eventVersions = 0, ...others } = counts
          for (const [name, count] of Object.entries(others)) if (count > 0) out.note(`  ${name} ${amount(count)}`)
          out.note(`  history: ${counted(eventVersions, 'version')}`)
          if (!isSealed) out.warn('It is as secret as the account: it holds tokens and is not sealed.')
          await out.line(folder)
        },
      })
    }
    for (const problem of problems) out.warn(problem)
    return problems.length > 0 ? 3 : undefined
  },
})
