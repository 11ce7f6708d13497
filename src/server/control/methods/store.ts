/** Maintenance of the store of a running node. */
import * as z from 'zod'
import { noteCheck } from '../../maintenance/work/lastCheck.js'
import { CheckInput, doWork, StatsInput, workProgress } from '../../maintenance/work/work.js'
import { workTarget } from '../../maintenance/work/workTarget.js'
import { operatorMethod } from '../operatorMethod.js'

const format = {
  folder: z.string().describe('Folder of the store.'),
  format: z.number().describe('Format of the store.'),
  newestFormat: z.number().describe('Newest format that this release reads.'),
  node: z.string().describe('Id of the store.'),
  created: z.number().describe('Time of creation, in seconds since 1970.'),
}

const Family = z.object({
  family: z.string().describe('Kind of the data.'),
  entries: z.number().describe('Number of entries.'),
  bytes: z.number().describe('Bytes on disk as LevelDB estimates them.'),
})

const check = operatorMethod({
  id: 'store.check',
  summary: 'Checks the store. Never writes.',
  input: CheckInput,
  output: () => z.object({
    ok: z.boolean().describe('true when there is no problem.'),
    checked: z.record(z.string(), z.number()).describe('Number of checked items by kind.'),
    problems: z.array(z.object({
      where: z.string().describe('Place, such as a commit or an event of an account.'),
      what: z.string().describe('The problem in words.'),
      user: z.string().optional().describe('User name of the account.'),
      next: z.string().describe('Suggested next command.'),
    })).describe('The problems, at most a thousand.'),
    found: z.number().describe('Number of problems.'),
  }),
  fails: ['unknown-user', 'invalid-operation'],
  async run({ node, signal }, input) {
    const result = await doWork(workTarget(node), 'store.check', input, signal)
    const isWhole = input.user === undefined && input.sample === undefined
    noteCheck(node.store.db, result, { at: node.clock.now(), isWhole })
    return result
  },
})

const stats = operatorMethod({
  id: 'store.stats',
  summary: 'Returns statistics of the whole store, or of one account.',
  input: StatsInput,
  output: () => z.object({
    ...format,
    commits: z.number().describe('Number of commits.'),
    bytes: z.object({
      store: z.number().describe('Size of the store in bytes.'),
      files: z.number().describe('Size of the attached files in bytes.'),
    }).describe('Sizes on disk.'),
    accounts: z.array(z.object({
      username: z.string().describe('User name.'),
      entries: z.number().describe('Number of entries.'),
      bytes: z.number().describe('Bytes on disk as LevelDB estimates them.'),
      events: z.number().describe('Number of events.'),
      files: z.object({ count: z.number().describe('Number.'), bytes: z.number().describe('Size in bytes.') }).describe('Attached files.'),
      families: z.array(Family).describe('Entries by kind.'),
    })).describe('The accounts.'),
    own: z.object({
      node: z.array(Family).describe('Data of the node.'),
      platform: z.array(Family).describe('Data of the platform.'),
    }).optional().describe('Data outside of accounts; absent for one account.'),
  }),
  fails: ['unknown-user', 'invalid-operation'],
  run: ({ node, signal }, input) => doWork(workTarget(node), 'store.stats', input, signal),
})

const compact = operatorMethod({
  id: 'store.compact',
  summary: 'Rewrites the files of the database without deleted or replaced entries.',
  input: z.strictObject({}),
  output: () => z.object({
    before: z.number().describe('Size of the database before, in bytes.'),
    after: z.number().describe('Size of the database afterwards, in bytes.'),
    seconds: z.number().describe('Duration in seconds.'),
  }),
  fails: ['invalid-operation'],
  run: ({ node, signal }, input) => doWork(workTarget(node), 'store.compact', input, signal),
})

const showFormat = operatorMethod({
  id: 'store.format',
  summary: 'Returns the format of the store.',
  input: z.strictObject({}),
  output: () => z.object({ ...format, from: z.number().describe('Previous format during a migration, otherwise the current one.') }),
  fails: ['invalid-operation'],
  run: ({ node, signal }, input) => doWork(workTarget(node), 'store.format', input, signal),
})

const progress = operatorMethod({
  id: 'store.progress',
  summary: 'Returns the progress of the current maintenance of the store; empty for none.',
  input: z.strictObject({}),
  output: () => z.object({
    work: z.string().optional().describe('check, stats or compact.'),
    done: z.number().optional().describe('Number of items that are done.'),
    total: z.number().optional().describe('Number of items; absent when unknown.'),
  }),
  fails: [],
  run: ({ node }) => workProgress(workTarget(node)),
})

export const storeMethods = [check, stats, compact, showFormat, progress] as const
