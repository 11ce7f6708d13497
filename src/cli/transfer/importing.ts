/** Moving an account in: the node reads the archive and makes the account, this process follows. */
import { openArchive } from '../../store/backup/archive.js'
import { CommandError, type ExitCode } from '../exit.js'
import type { Context } from '../command.js'
import { listOf, numberOf, recordOf, textOf, type Record_ } from '../node/answer.js'
import type { Door } from '../node/door.js'
import { interruption } from '../node/interruption.js'
import { tellAsked } from '../output/asked.js'
import { startPhases } from '../output/phases.js'
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
  const given = Object.fromEntries(Object.entries({ ...asked, passphrase }).filter(([, value]) => value !== undefined))
  const { id } = await door.call('users.import', given, {})
  const stopping = interruption()
  const phases = startPhases(out, bytes)
  try {
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
