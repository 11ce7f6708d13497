/** Moving an account in: the node reads the archive, or is sent it, and makes the account; this process follows. */
import { FRAME, saying } from '../../server/frames.js'
import { archiveFrames } from '../../server/transfer/archiveFrames.js'
import { refuseOtherKinds } from '../../server/transfer/format.js'
import { openArchive } from '../../store/backup/archive.js'
import { Secret } from '../../store/model/secret.js'
import { CommandError, type ExitCode } from '../exit.js'
import { untilCancelled } from '../files/cancelling.js'
import type { Context } from '../command.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../node/answer.js'
import type { Door } from '../node/door.js'
import { interruption, type Interruption } from '../node/interruption.js'
import { tellAsked } from '../output/asked.js'
import { startPhases, type Phases } from '../output/phases.js'
import { amount, bytes } from '../output/words.js'
import { neededPassphrase, type PassphraseGiven } from '../backup/passphrase.js'

const WAIT_MS = 1000
const MOST_SHOWN = 20

/** What the node is asked for. */
export interface ImportAsked {
  folder: string
  as?: string | undefined
  email?: string | undefined
  password?: string | undefined
  dryRun: boolean
}

/** Opens the archive once in this process: what is wrong with it or the passphrase is told before the node is asked. */
export async function passphraseFor(context: Context, folder: string, given: PassphraseGiven): Promise<string | undefined> {
  let passphrase: string | undefined
  await openArchive(folder, async () => {
    const secret = await neededPassphrase(context, given)
    passphrase = secret.reveal()
    return secret
  })
  return passphrase
}

/** Has the node import an account, and tells how far it is; Ctrl-C ends it, and nothing is left of it then. */
export async function runImport(context: Context, door: Door, asked: ImportAsked, passphrase: string | undefined): Promise<Record_> {
  const { out } = context
  const stopping = interruption()
  const phases = startPhases(out, bytes)
  try {
    const id = await begun(door, asked, passphrase, { stopping, phases })
    for (;;) {
      const answer = await stopping.or(door.call('users.importState', { id, waitMs: WAIT_MS }, {}))
      if (answer === 'interrupted') {
        await door.call('users.importCancel', { id }, {})
        throw new CommandError('Cancelled; nothing is left of the import.', { exit: 130 })
      }
      if (answer['state'] === 'done') return answer
      phases.count(asked.dryRun ? 'checking' : 'importing', numberOf(answer['bytes']) ?? 0, numberOf(answer['of']))
    }
  } finally {
    stopping.end()
    phases.end()
  }
}

/** Begins the import, and answers its id; a node of another machine is sent the archive first. */
async function begun(
  door: Door,
  { folder, ...wishes }: ImportAsked,
  passphrase: string | undefined,
  { stopping, phases }: { stopping: Interruption; phases: Phases },
): Promise<string> {
  if (door.transfers === undefined) return textOf((await door.call('users.import', given({ folder, ...wishes, passphrase }), {}))['id'])
  const archive = await openArchive(folder, () => Promise.resolve(new Secret(passphrase ?? '')))
  refuseOtherKinds(archive.manifest)
  const of = archive.members.reduce((sum, member) => sum + member.bytes, 0)
  const sending = phases.phase('sending')
  const frames = (async function* () {
    yield saying(FRAME.asked, { params: { ...given(wishes), bytes: of } })
    yield* archiveFrames(archive, (count) => sending(count, of))
  })()
  return textOf((await door.transfers.send('users.import', untilCancelled(frames, stopping, 'Cancelled; nothing is left of the import.')))['id'])
}

const given = (asked: Record_): Record_ => Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))

/** Tells what came of an import; answers its exit code. */
export async function tellImport(context: Context, answer: Record_, { dryRun }: { dryRun: boolean }): Promise<ExitCode | undefined> {
  const { out } = context
  const [asked, restored] = [recordOf(answer['asked']), recordOf(answer['restored'])]
  const refusals = listOf(answer['refusals'])
  const refused = numberOf(answer['refused']) ?? 0
  const differences = Array.isArray(answer['differences']) ? answer['differences'].map(String) : []
  const username = textOf(answer['username'])
  if (out.json) {
    for (const refusal of refusals) await out.item({ event: 'refused', ...refusal })
    await out.item({ event: 'done', dryRun, username, asked, restored, refused, differences: differences.length })
  } else {
    await out.result(answer, {
      id: username,
      tell: async () => {
        for (const { file, line, id, message } of refusals.slice(0, MOST_SHOWN)) {
          out.warn(`${textOf(file)}:${textOf(line)}${textOf(id) === '' ? '' : ` ${textOf(id)}`}: ${textOf(message)}`)
        }
        if (refused > MOST_SHOWN) out.warn(`and ${amount(refused - MOST_SHOWN)} more were refused; see all with --json`)
        await tellAsked(out, countsOf(asked), countsOf(restored))
        if (dryRun) out.done(`The account ${username} could be made; nothing was written`)
        else out.done(`Account ${username} made`)
      },
    })
  }
  return refused > 0 || differences.length > 0 ? 3 : undefined
}

/** The numbers of an answer, by noun. */
export const countsOf = (nouns: Record_): Record<string, number> =>
  Object.fromEntries(Object.entries(nouns).map(([noun, count]) => [noun, numberOf(count) ?? 0]))
