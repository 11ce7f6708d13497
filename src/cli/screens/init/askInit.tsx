/** Runs the wizard of `coffer init` on the terminal. */
import type { Terminal } from '../../terminal/terminal.js'
import { openScreen } from '../openScreen.js'
import { styles } from '../parts.js'
import { Wizard } from './Wizard.js'
import type { WizardProps } from './Wizard.js'

/** Returns the answers, or undefined when the user quit. Requires `mayShowScreens`. */
export async function askInit(
  { streams, paintOut }: Pick<Terminal, 'streams' | 'paintOut'>,
  options: Omit<WizardProps, 'style' | 'onEnd'>,
): Promise<Parameters<WizardProps['onEnd']>[0]> {
  let answers: Parameters<WizardProps['onEnd']>[0]
  const style = styles(paintOut.isColorSupported)
  const screen = openScreen(streams)
  const onEnd: WizardProps['onEnd'] = (given) => {
    answers = given
    screen.close()
  }
  screen.show(<Wizard {...options} style={style} onEnd={onEnd} />)
  await screen.closed
  return answers
}
