/** Recovery codes go out once: on stdout, or into a file that only its owner can read. */
import { text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'
import type { Output } from '../../terminal/output/out.js'

/** `--secret-to`, for commands that answer recovery codes. */
export const secretToOption = text('Write the recovery codes to a file of your own in place of stdout', {
  placeholder: 'file',
  completes: 'file',
})

/**
 * Has a factor confirmed and hands its recovery codes out. The file is begun before: what cannot be kept is not made.
 * @throws CommandError when the file cannot be written
 */
export async function handOutCodes(
  out: Output,
  { user, secretTo }: { user: string; secretTo: string | undefined },
  confirmed: () => Promise<Record<string, unknown>>,
): Promise<void> {
  const file = secretTo === undefined ? undefined : await wholeFile(secretTo)
  try {
    const answer = await confirmed()
    const codes = Array.isArray(answer['recoveryCodes']) ? answer['recoveryCodes'].map(String) : []
    if (file !== undefined) {
      await file.write(`${codes.join('\n')}\n`)
      await file.done()
    }
    await out.result(file === undefined ? answer : { secretTo }, {
      id: user,
      print: async () => {
        out.done(`${user} has a second factor from now on.`)
        if (file !== undefined) return out.note(`  Recovery codes are in ${String(secretTo)}; each is good once.`)
        out.note('  The lines below are recovery codes, shown once. One of them and the password take the factor away:')
        for (const code of codes) await out.line(code)
      },
    })
  } finally {
    await file?.drop()
  }
}
