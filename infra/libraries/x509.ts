// The X.509 library needs the metadata of decorators first.
import 'reflect-metadata'

export * from '@peculiar/x509'
