/** Puts the questions of `coffer init` to the person at the terminal. */
import { render } from 'ink'
import type { Terminal } from '../../terminal.js'
import { styles } from '../parts.js'
import { Wizard } from './Wizard.js'
import type { WizardProps } from './Wizard.js'

/**
 * Answers what the person answered, or undefined when they quit. Only for a terminal whose keys can be read one by one:
 * see `mayShowScreens`.
 */
export async function askInit(
  { streams, paintOut }: Pick<Terminal, 'streams' | 'paintOut'>,
  asked: Pick<WizardProps, 'questions' | 'answers' | 'plan'>,
): Promise<Parameters<WizardProps['onEnd']>[0]> {
  let answers: Parameters<WizardProps['onEnd']>[0]
  // Ink reads single keys only once it has drawn; what is typed before must not be echoed or edited by the terminal.
  streams.stdin.setRawMode?.(true)
  const style = styles(paintOut.isColorSupported)
  const screen = render(<Wizard {...asked} style={style} onEnd={(given) => void (answers = given)} />, {
    // Ink asks for the streams of a process by their types; it uses no more of them than ours have.
    stdin: streams.stdin as NodeJS.ReadStream,
    stdout: streams.stdout as NodeJS.WriteStream,
    stderr: streams.stderr as NodeJS.WriteStream,
    exitOnCtrlC: false,
    patchConsole: false,
  })
  await screen.waitUntilExit()
  return answers
}
