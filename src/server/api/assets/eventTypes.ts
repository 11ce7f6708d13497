import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'

const Entries = z.record(z.string(), z.unknown())

/** Route with the event-type directory used to validate contents (docs/interface/event-types.md#directory). */
export const eventTypesDirectory = platformMethod({
  id: 'assets.eventTypes',
  summary: 'Reads the directory of event types.',
  http: { verb: 'GET', path: '/assets/event-types/flat.json' },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({
    version: z.string().describe('Version of the directory.'),
    types: Entries.describe('JSON schema of the content, by event type.'),
    extras: Entries.describe('Names and symbols, by event type.'),
    classes: Entries.describe('Descriptions of the classes of types.'),
    sets: Entries.describe('Groups of types that apps may offer together.'),
  }),
  fails: [],
  run: ({ node }) => ({ ...node.eventTypes.directory }),
})
