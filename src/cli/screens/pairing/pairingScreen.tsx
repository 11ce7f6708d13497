/** Full-screen interface of a pairing. views.ts builds its content. */
import { useInput } from 'ink'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import type { PairingUi } from '../../commands/sync/shared/pairingUi.js'
import { wordsIn } from '../../commands/sync/shared/consent.js'
import { firstSync } from '../../commands/sync/shared/firstSync.js'
import { followPeers } from '../../commands/sync/shared/progress.js'
import { Lines } from '../line.js'
import { openScreen, useSize, type Screen } from '../openScreen.js'
import { styles, type Style } from '../parts.js'
import { isWholeView, pairingLines, type PairingView } from './views.js'

const REDRAW_MS = 1000
const MARGIN = 2

type Answer = 'yes' | 'no' | 'leave'

/** Creates the full-screen interface of a pairing. Requires `mayShowScreens`. */
export function pairingScreen({ terminal, now }: Pick<Context, 'terminal' | 'now'>): PairingUi {
  const style = styles(terminal.paintOut.isColorSupported)
  let screen: { of: Screen; isWhole: boolean } | undefined
  let current: PairingView = { is: 'calling' }
  let switching: Promise<void> | undefined
  const waiting = new Set<(answer: Answer) => void>()
  const notifyAll = (answer: Answer): void => {
    for (const onAnswer of [...waiting]) onAnswer(answer)
  }
  const end = async (): Promise<void> => {
    const open = screen?.of
    screen = undefined
    open?.show(null)
    open?.close()
    await open?.closed
  }
  /** Draws the current view; one that covers the terminal has a screen of its own, so that the link is there again afterwards. */
  const draw = (): void => {
    if (switching !== undefined) return
    const isWhole = isWholeView(current)
    if (screen !== undefined && screen.isWhole !== isWhole) {
      switching = end().then(() => {
        switching = undefined
        draw()
      })
      return
    }
    screen ??= { of: openScreen(terminal.streams, { isWhole }), isWhole }
    screen.of.show(<Pairing view={current} now={now} style={style} answer={notifyAll} toggle={toggle} />)
  }
  const show = (view: PairingView): void => {
    current = view
    draw()
  }
  const toggle = (): void => {
    if (current.is === 'offered' && current.link !== undefined) show({ ...current, isCodeShown: current.isCodeShown !== true })
  }
  /** Resolves to the result of a promise, or to the first of the wanted answers. */
  const until = <T, A extends Answer>(promise: Promise<T>, wanted: readonly A[]): Promise<T | { answer: A }> =>
    new Promise((resolve, reject) => {
      const onAnswer = (answer: Answer): void => {
        const found = wanted.find((each) => each === answer)
        if (found !== undefined) settle(() => resolve({ answer: found }))
      }
      const settle = (then: () => void): void => {
        waiting.delete(onAnswer)
        then()
      }
      waiting.add(onAnswer)
      promise.then((value) => settle(() => resolve(value)), (error: Error) => settle(() => reject(error)))
    })
  const leave: PairingUi['leave'] = {
    async or(promise) {
      const found = await until(promise, ['leave'])
      return typeof found === 'object' && found !== null && 'answer' in found && found.answer === 'leave' ? 'interrupted' : (found as Awaited<typeof promise>)
    },
  }
  const close = async (): Promise<void> => {
    await switching
    await end()
  }
  return {
    isScreen: true,
    leave,
    offered: (offer) => show({ is: 'offered', ...offer }),
    calling: () => show({ is: 'calling' }),
    async compare(pairing, over) {
      over.catch(() => undefined)
      show({ is: 'met', name: pairing.peerName ?? '', words: wordsIn(pairing) })
      const { answer } = await until(over, ['yes', 'no', 'leave'])
      if (answer !== 'yes') throw new CommandError('Cancelled; nothing was paired.', { exit: 130 })
    },
    confirming: (pairing) => show({ is: 'confirming', name: pairing.peerName ?? '' }),
    async firstSync(client, about) {
      let filesOf = 0
      show({ is: 'syncing', peer: undefined, filesOf })
      const following = followPeers(client, about.user, (peer) => {
        if (peer.id !== about.peer || screen === undefined) return
        filesOf = Math.max(filesOf, peer.filesPending)
        show({ is: 'syncing', peer, filesOf })
      })
      return firstSync(client, about, leave).finally(() => following.end())
    },
    close,
  }
}

interface PairingProps {
  view: PairingView
  now(): number
  style: Style
  answer(answer: Answer): void
  /** Shows or hides the QR code. */
  toggle(): void
}

function Pairing({ view, now, style, answer, toggle }: PairingProps): ReactNode {
  const { columns, rows } = useSize()
  const [, setTick] = useState(0)
  // A key right after a redraw still calls the previous handler.
  const latest = useRef(view)
  latest.current = view
  useEffect(() => {
    if (view.is !== 'offered') return
    const timer = setInterval(() => setTick((tick) => tick + 1), REDRAW_MS)
    return () => clearInterval(timer)
  }, [view.is])
  useInput((input, key) => {
    if (input === 'q' || key.escape || (key.ctrl && input === 'c')) answer('leave')
    else if (latest.current.is === 'offered' && input === 'c') toggle()
    else if (latest.current.is === 'met' && /^y$/i.test(input)) answer('yes')
    else if (latest.current.is === 'met' && (/^n$/i.test(input) || key.return)) answer('no')
  })
  return <Lines style={style} lines={pairingLines(view, now(), { columns: Math.max(1, columns - MARGIN), rows })} />
}
