import { command } from '../../command.js'

/** `coffer config path`. */
export const path = command({
  path: ['config', 'path'],
  summary: 'Print the folders and files of the node',
  examples: [
    { type: 'coffer config path', description: 'all paths' },
    { type: 'coffer config path --home /srv/coffer', description: 'paths of a different folder' },
  ],
  json: '{"home","config","store","files","socket","key","log"}',
  reach: 'machine',
  offline: true,
  async run({ out, paths }) {
    const { home, config, store, files, socket, key, log } = paths
    const places = { home, config, store, files, socket, key, log }
    await out.list(places, {
      columns: [
        { title: 'NAME', cell: ([name]) => name },
        { title: 'PATH', cell: ([, place]) => place },
      ],
      rows: Object.entries(places),
      id: ([, place]) => place,
    })
  },
})
