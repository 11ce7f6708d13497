/** Puts the questions of `coffer init` to the person at the terminal. */
import type { Terminal } from '../../terminal/terminal.js'
import { openScreen } from '../openScreen.js'
import { styles } from '../parts.js'
import { Wizard } from './Wizard.js'
import type { WizardProps } from './Wizard.js'

/**
 * Answers what the person answered, or undefined when they quit. Only for a terminal whose keys can be read one by one:
 * see `mayShowScreens`.
 */
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
