/** Kinds of objects that people name on the command line. */

/** Kind of object of a node whose names completion offers, and that a message suggests for an unknown one. */
export type Names =
  | 'user' | 'stream' | 'access' | 'client' | 'peer' | 'backup' | 'webhook' | 'event' | 'series' | 'delegate' | 'managed' | 'node'
  | 'session' | 'consent' | 'request' | 'app' | 'invitation' | 'record' | 'core'
