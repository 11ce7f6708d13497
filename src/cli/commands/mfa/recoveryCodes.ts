/** Output of recovery codes: once, to stdout or to a file that only its owner can read. */
import { text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import type { Output } from '../../terminal/output/out.js'

/** Option `--secret-to` of commands that return recovery codes. */
export const secretToOption = text('Write the recovery codes to a private file instead of stdout', {
  placeholder: 'file',
  completes: 'file',
})

/**
 * Confirms a factor and prints its recovery codes. Opens the file first, so that no codes are created that cannot be stored.
 * @throws CommandError when the file cannot be written
 */
export async function printRecoveryCodes(
  out: Output,
  { user, secretTo }: { user: string; secretTo: string | undefined },
  confirmFactor: () => Promise<{ recoveryCodes: readonly string[] }>,
): Promise<void> {
  const file = secretTo === undefined ? undefined : await wholeFile(secretTo)
  try {
    const answer = await confirmFactor()
    const { recoveryCodes: codes } = answer
    if (file !== undefined) {
      await file.write(`${codes.join('\n')}\n`)
      await file.done()
    }
    await out.result(file === undefined ? answer : { secretTo }, {
      id: user,
      print: async () => {
        out.done(`${user} now has a second factor.`)
        if (file !== undefined) return out.note(`  Recovery codes are in ${String(secretTo)}; each can be used once.`)
        out.note('  The recovery codes below are shown only once. Each one, with the password, removes the second factor:')
        for (const code of codes) await out.line(code)
      },
    })
  } finally {
    await file?.drop()
  }
}
