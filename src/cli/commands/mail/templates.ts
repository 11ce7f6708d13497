import { command } from '../../command.js'
import { amount, counted } from '../../terminal/output/format.js'

/** `coffer mail templates`. */
export const templates = command({
  path: ['mail', 'templates'],
  summary: 'List the mail templates',
  description:
    'Each mail has a template in one or more languages. Recipients get their own language, else the default one (services.email.defaultLang). SUBJECT and PAGE are lengths in characters. A template that lacks one of them is not used.',
  examples: [
    { type: 'coffer mail templates', description: 'list as a table' },
    { type: 'coffer mail templates -q', description: 'print type and language, one template per line' },
  ],
  json: '{"templates":[{"type","lang","part","length"}]}',
  offline: true,
  async run({ out, connect }) {
    const client = await connect()
    const answer = await client.call('system.mailTemplates', {}, {})
    const rows = new Map<string, { type: string; lang: string; lengths: Record<string, number> }>()
    for (const each of answer.templates) {
      const { type, lang, part } = each
      const row = rows.get(`${type}/${lang}`) ?? { type, lang, lengths: {} }
      row.lengths[part] = each.length
      rows.set(`${type}/${lang}`, row)
    }
    const length = (of: number | undefined): string => (of === undefined ? '—' : amount(of))
    await out.list(answer, {
      columns: [
        { title: 'TEMPLATE', cell: ({ type }) => type },
        { title: 'LANGUAGE', cell: ({ lang }) => lang },
        { title: 'SUBJECT', cell: ({ lengths }) => length(lengths['subject']), align: 'right' },
        { title: 'PAGE', cell: ({ lengths }) => length(lengths['html']), align: 'right' },
      ],
      rows: [...rows.values()],
      id: ({ type, lang }) => `${type}/${lang}`,
      count: counted(rows.size, 'template'),
    })
  },
})
