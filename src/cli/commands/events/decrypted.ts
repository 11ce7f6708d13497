/** Decryption of the result of events.getOne. */
import type { Context } from '../../command.js'
import { isEncrypted } from './decrypt/event.js'
import type { Keyring } from './decrypt/keyring.js'
import { openingBy, opensFiles } from './decrypt/methods.js'
import type { Opening } from './decrypt/methods.js'
import { CommandError } from '../../framework/exit.js'
import { listOf } from '../../client/answer.js'
import type { Record_ } from '../../client/answer.js'
import { eventOf } from './eventText.js'

type GetOneResult = Record<string, unknown>

/**
 * Returns the result with the event decrypted, and earlier versions where keys are available; `opening` opens its files.
 * Unencrypted parts stay as they are.
 * @throws CommandError when the event itself is encrypted and cannot be decrypted.
 */
export async function decryptResult(
  { out }: Context,
  result: GetOneResult,
  keyring: Keyring,
): Promise<{ answer: GetOneResult; opening?: (() => Opening) | undefined }> {
  const event = eventOf(result)
  const opened = isEncrypted(event) ? await keyring.decrypt(event) : undefined
  if (opened === undefined) out.note('The event is not encrypted; it is shown as stored.')
  const answer: GetOneResult = { ...result, event: opened?.event ?? event }
  if ('history' in result) {
    const history: Record_[] = []
    for (const version of listOf(result['history'])) history.push(await earlierVersion(version))
    answer['history'] = history
  }
  if (opened === undefined || !opensFiles(opened.method)) return { answer }
  return { answer, opening: () => openingBy(opened.method, opened.key) }

  /** Decrypts an earlier version; a missing key only causes a warning, so that the event itself is still shown. */
  async function earlierVersion(version: Record_): Promise<Record_> {
    if (!isEncrypted(version)) return version
    try {
      return (await keyring.decrypt(version)).event
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      out.warn(`An earlier version stays encrypted. ${error.message}`)
      return version
    }
  }
}
