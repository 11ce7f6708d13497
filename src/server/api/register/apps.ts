import * as z from 'zod'
import { anybody } from '../../call/callers.js'
import { platformMethod } from '../../call/method.js'
import { appOf, listApps } from './appDirectory.js'
import { AppEntry } from '../../config/appEntry.js'

const App = AppEntry.extend({ id: z.string().describe('Id of the application.') })

/** The methods of the application directory (docs/interface/registration.md#applications). */
export const apps = platformMethod({
  id: 'reg.apps',
  summary: 'Lists the directory of applications.',
  http: { verb: 'GET', path: '/apps', aliases: ['/reg/apps'] },
  caller: anybody,
  input: z.unknown(),
  output: () => z.object({ apps: z.array(App).describe('The applications.') }),
  fails: [],
  run: async ({ node }) => ({ apps: await listApps(node) }),
})

export const app = platformMethod({
  id: 'reg.app',
  summary: 'Reads an application of the directory.',
  http: { verb: 'GET', path: '/apps/:appid', aliases: ['/reg/apps/:appid'] },
  caller: anybody,
  input: z.object({ appid: z.string().describe('Id of the application.') }),
  output: () => z.object({ app: App.describe('The application.') }),
  fails: ['unknown-resource'],
  run: async ({ node }, { appid }) => ({ app: await appOf(node, appid) }),
})
