/** Operator methods that end the process of a running node; a store opened for one command has none. */
import * as z from 'zod'
import { operatorMethod } from './operatorMethod.js'

const ending = {
  stopping: z.literal(true).describe('Always true.'),
  pid: z.number().describe('Process id of the node.'),
}

type Ending = z.output<z.ZodObject<typeof ending>>

/** Creates the methods; `stop` and `restart` begin to end the process. */
export const lifecycleMethods = ({ stop, restart }: { stop(): Ending; restart(): Ending }) =>
  [
    operatorMethod({
      id: 'node.stop',
      summary: 'Stops the node.',
      localCommand: 'coffer stop',
      input: z.strictObject({}),
      output: () => z.object(ending),
      fails: [],
      run: () => stop(),
    }),
    operatorMethod({
      id: 'node.restart',
      summary: 'Restarts the node.',
      localCommand: 'coffer restart',
      input: z.strictObject({}),
      output: () => z.object({ ...ending, opened: z.number().describe('Time of its start, in seconds since 1970.') }),
      fails: [],
      run: ({ node }) => ({ ...restart(), opened: node.openedAt }),
    }),
  ] as const
