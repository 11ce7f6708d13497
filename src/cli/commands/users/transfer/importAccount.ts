/**
 * Imports an account: the node reads or receives the archive and creates the account, this process shows the progress.
 */
import { FRAME, messageFrame } from '../../../../server/base/frames.js'
import { archiveFrames } from '../../../../server/accountTransfer/archiveFrames.js'
import { assertLineKinds } from '../../../../server/accountTransfer/format.js'
import { openArchive } from '../../../../store/backup/archive.js'
import { differing } from '../../../../store/backup/manifest.js'
import { Secret } from '../../../../store/model/secret.js'
import { CommandError, type ExitCode } from '../../../framework/exit.js'
import { abortOnInterrupt, interruption, type Interruption } from '../../../client/interruption.js'
import type { Context } from '../../../command.js'
import { textOf, type Record_ } from '../../../client/answer.js'
import type { NodeClient, ResultOf } from '../../../client/nodeClient.js'
import { writeCounts } from '../../backup/shared/comparison.js'
import { startPhases, type Phases } from '../../../terminal/output/phaseProgress.js'
import { amount, bytes, counted } from '../../../terminal/output/format.js'
import { neededPassphrase, type PassphraseOptions } from '../../backup/shared/passphrase.js'

const WAIT_MS = 1000
const MAX_SHOWN = 20

/** Result of a completed import. */
type ImportResult = Extract<ResultOf<'users.importState'>, { state: 'done' }>

/** Parameters of an account import. */
interface ImportInput {
  folder: string
  as?: string | undefined
  email?: string | undefined
  password?: string | undefined
  dryRun: boolean
}

/** Opens the archive in this process to check it and its passphrase before the node is called. */
export async function passphraseFor(context: Context, folder: string, given: PassphraseOptions): Promise<string | undefined> {
  let passphrase: string | undefined
  await openArchive(folder, async () => {
    const secret = await neededPassphrase(context, given)
    passphrase = secret.reveal()
    return secret
  })
  return passphrase
}

/** Runs an import on the node with progress; Ctrl-C cancels it and removes everything imported. */
export async function runImport(context: Context, client: NodeClient, input: ImportInput, passphrase: string | undefined): Promise<ImportResult> {
  const { out } = context
  const stopping = interruption()
  const phases = startPhases(out, bytes)
  try {
    const id = await startImport(client, input, passphrase, { stopping, phases })
    for (;;) {
      const answer = await stopping.or(client.call('users.importState', { id, waitMs: WAIT_MS }, {}))
      if (answer === 'interrupted') {
        await client.call('users.importCancel', { id }, {})
        throw new CommandError('Cancelled; nothing was imported.', { exit: 130 })
      }
      if (answer.state === 'done') return answer
      phases.count(input.dryRun ? 'checking' : 'importing', answer.bytes, answer.of)
    }
  } finally {
    stopping.end()
    phases.end()
  }
}

/** Starts the import and returns its id; uploads the archive first to a remote node. */
async function startImport(
  client: NodeClient,
  { folder, ...options }: ImportInput,
  passphrase: string | undefined,
  { stopping, phases }: { stopping: Interruption; phases: Phases },
): Promise<string> {
  if (client.transfers === undefined) return (await client.call('users.import', { folder, ...options, passphrase }, {})).id
  const archive = await openArchive(folder, () => Promise.resolve(new Secret(passphrase ?? '')))
  assertLineKinds(archive.manifest)
  const of = archive.members.reduce((sum, member) => sum + member.bytes, 0)
  const sending = phases.phase('sending')
  const frames = (async function* () {
    yield messageFrame(FRAME.asked, { params: { ...definedOnly(options), bytes: of } })
    yield* archiveFrames(archive, (count) => sending(count, of))
  })()
  return textOf((await client.transfers.send('users.import', abortOnInterrupt(frames, stopping, 'Cancelled; nothing was imported.')))['id'])
}

const definedOnly = (input: Record_): Record_ => Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

/** Prints the result of an import; returns its exit code. */
export async function writeImportResult(context: Context, answer: ImportResult, { dryRun }: { dryRun: boolean }): Promise<ExitCode | undefined> {
  const { out } = context
  const { asked: expected, restored, refusals, refused, username, activeWebhooks: active, pausedWebhooks: paused } = answer
  // The differences marked in the table determine the exit code.
  const differences = differing(expected, restored)
  if (out.json) {
    for (const refusal of refusals) await out.item({ event: 'refused', ...refusal })
    await out.item({ event: 'done', dryRun, username, asked: expected, restored, refused, differences: differences.length, activeWebhooks: active, pausedWebhooks: paused })
  } else {
    await out.result(answer, {
      id: username,
      print: async () => {
        for (const { file, line, id, message } of refusals.slice(0, MAX_SHOWN)) {
          out.warn(`${file}:${line}${id === undefined ? '' : ` ${id}`}: ${message}`)
        }
        if (refused > MAX_SHOWN) out.warn(`and ${amount(refused - MAX_SHOWN)} more were refused; see all with --json`)
        await writeCounts(out, expected, restored)
        if (dryRun) out.done(`Dry run: account ${username} can be imported; nothing was written`)
        else out.done(`Account ${username} created`)
        for (const line of webhookLines(context, { username, active, paused })) out.note(line)
      },
    })
  }
  return refused > 0 || differences.length > 0 ? 3 : undefined
}

/** Describes the webhooks of an account that may still exist on its old node, with the commands to run. */
function webhookLines({ commandFor }: Context, { username, active, paused }: { username: string; active: string[]; paused: string[] }): string[] {
  const lines: string[] = []
  if (paused.length > 0) {
    const one = paused.length === 1
    lines.push(`${counted(paused.length, 'webhook')} ${one ? 'is' : 'are'} inactive: the account has another name, and the original account may still use ${one ? 'it' : 'them'}. To activate:`)
    for (const id of paused.slice(0, MAX_SHOWN)) lines.push(`  ${commandFor('webhooks', 'activate', id, '--user', username)}`)
    if (paused.length > MAX_SHOWN) lines.push(`  See the others: ${commandFor('webhooks', 'list', '--user', username)}`)
  }
  if (active.length > 0) {
    lines.push(`${counted(active.length, 'webhook')} ${active.length === 1 ? 'is' : 'are'} active. While the account also exists on its old node, both nodes call them: delete the account there, or its webhooks here. See them: ${commandFor('webhooks', 'list', '--user', username)}`)
  }
  return lines
}
