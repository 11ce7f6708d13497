/** Node in a process of its own, for tests that kill it: see serve.ts. */
import { serve } from './serve.js'

await serve()
