import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { command } from '../../command.js'
import { usageError } from '../../framework/exit.js'
import { list, text } from '../../framework/option.js'
import { wholeFile } from '../../terminal/output/file.js'

/** `coffer platform issue-certificate <name>`. */
export const issueCertificate = command({
  path: ['platform', 'issue-certificate'],
  summary: 'Issue a certificate for a member of etcd, or renew that of a core',
  description:
    'Writes the certificate, its key and the certificate of the authority to a folder, for a member of etcd:\n\n' +
    'etcd --cert-file etcd-1.crt --key-file etcd-1.key --client-cert-auth --trusted-ca-file ca.pem --peer-cert-file etcd-1.crt --peer-key-file etcd-1.key --peer-client-cert-auth --peer-trusted-ca-file ca.pem\n\n' +
    'The certificate is valid for 90 days; issue another one before, and restart the member. Cores get their first one from coffer platform init and coffer cores add. To renew it, issue one with the id of the core as name, copy both files to platform/etcd.crt and platform/etcd.key in its home, and restart the core; coffer platform status warns in time. On a node without a platform, the authority is created, and coffer platform init uses it.',
  arguments: { name: text('Name of the member, which is a host name of the certificate', { required: true }) },
  options: {
    host: list('Other host names and IP addresses of the member, comma-separated; repeatable', { separator: ',', placeholder: 'hosts' }),
    to: text('Folder to write the files to; created if missing', { required: true, placeholder: 'dir', completes: 'folder' }),
  },
  examples: [
    { type: 'coffer platform issue-certificate etcd-1 --host 10.0.0.1 --to ./etcd-1', description: 'write ca.pem, etcd-1.crt and etcd-1.key' },
    { type: 'coffer platform issue-certificate core-b --to ./core-b', description: 'renew the certificate of a core' },
  ],
  json: '{"name","cert":"file","key":"file","ca":"file"}',
  reach: 'machine',
  offline: true,
  async run({ out, connect }, { name, host, to }) {
    if (!/^[a-z0-9.-]+$/.test(name)) throw usageError(`<name> takes a host name in lower case, not ${JSON.stringify(name)}`)
    const client = await connect()
    const { certPem, keyPem, caPem } = await client.call('platform.issueCertificate', { name, hosts: host }, {})
    await mkdir(to, { recursive: true, mode: 0o700 })
    const files = { cert: join(to, `${name}.crt`), key: join(to, `${name}.key`), ca: join(to, 'ca.pem') }
    for (const [path, content] of [[files.key, keyPem], [files.cert, certPem], [files.ca, caPem]] as const) {
      const file = await wholeFile(path)
      try {
        await file.write(content)
        await file.done()
      } finally {
        await file.drop()
      }
    }
    await out.result({ name, ...files }, { id: files.cert, print: () => out.done(`Certificate of ${name} written to ${files.cert}, with its key and ca.pem.`) })
  },
})
