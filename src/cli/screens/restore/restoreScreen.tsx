/** `coffer restore` on the screen: a bar per phase, and the requested content. */
import { useInput } from 'ink'
import type { ReactNode } from 'react'
import type { Context } from '../../command.js'
import { CommandError } from '../../framework/exit.js'
import type { Phases } from '../../terminal/output/phaseProgress.js'
import { Lines } from '../line.js'
import { openScreen, useSize } from '../openScreen.js'
import { styles, type Style } from '../parts.js'
import { restoreLines, type RestoreView } from './lines.js'

const BETWEEN_DRAWINGS_MS = 100
const MARGIN = { columns: 2, rows: 1 }

export interface RestoreScreen extends Pick<Phases, 'phase' | 'end'> {
  /** Marks all phases as complete, regardless of their estimated sizes. */
  done(): void
}

/**
 * Shows phases on the screen; its last frame stays. After quitting, the next step of the work throws CommandError 130.
 * Requires `mayShowScreens`.
 */
export function restoreScreen({ terminal }: Pick<Context, 'terminal'>, target: Omit<RestoreView, 'phases' | 'isOver'>): RestoreScreen {
  const style = styles(terminal.paintOut.isColorSupported)
  const screen = openScreen(terminal.streams)
  const phases: RestoreView['phases'] = []
  let isCancelled = false
  let drawnAt = -Infinity
  let isOver = false
  const draw = (): void => {
    drawnAt = performance.now()
    screen.show(<Restore restoring={{ ...target, phases, isOver }} style={style} leave={() => (isCancelled = true)} />)
  }
  draw()
  screen.closed.catch(() => undefined)
  return {
    phase(label) {
      const phase = { label, done: 0, total: 0 }
      return (by, total = 0) => {
        if (isCancelled) throw new CommandError('Cancelled; nothing was restored.', { exit: 130 })
        if (!phases.includes(phase)) phases.push(phase)
        phase.done += by
        phase.total = total
        if (performance.now() - drawnAt >= BETWEEN_DRAWINGS_MS) draw()
      }
    },
    done() {
      for (const phase of phases) phase.done = phase.total
    },
    end() {
      if (isOver) return
      isOver = true
      draw()
      screen.close()
    },
  }
}

interface RestoreProps {
  restoring: RestoreView
  style: Style
  leave(): void
}

function Restore({ restoring, style, leave }: RestoreProps): ReactNode {
  const { columns, rows } = useSize()
  useInput((input, key) => {
    if (input === 'q' || (key.ctrl && input === 'c')) leave()
  })
  const size = { columns: Math.max(1, columns - MARGIN.columns), rows: Math.max(1, rows - MARGIN.rows) }
  return <Lines style={style} lines={restoreLines(restoring, size)} />
}
