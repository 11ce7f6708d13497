import * as z from 'zod'
import { platformMethod } from '../method.js'

const Entries = z.record(z.string(), z.unknown())

/** The event-type directory that this node checks contents by (data supplement 16.1). */
export const eventTypesDirectory = platformMethod({
  id: 'assets.eventTypes',
  summary: 'The directory of event types.',
  http: { verb: 'GET', path: '/assets/event-types/flat.json' },
  input: z.unknown(),
  output: z.object({ version: z.string(), types: Entries, extras: Entries, classes: Entries, sets: Entries }),
  fails: [],
  run: ({ node }) => ({ ...node.eventTypes.directory }),
})
