"""TLS in front of a PostgreSQL that was built without it, by certificates made for the test."""

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

SSL_REQUEST_BYTES = 8


def certify(name: str, folder: Path) -> Path:
    """Write a key, and a certificate for ``localhost`` that vouches for itself; return the latter's file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.crt"
    file.write_bytes(certificate.public_bytes(Encoding.PEM))
    file.with_suffix(".key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return file


@contextmanager
def tls_door(certificate: Path, port: int) -> Iterator[int]:
    """Take connections with TLS and pass them on to a port of this machine; give the port to connect to."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))

    async def took(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            await reader.readexactly(SSL_REQUEST_BYTES)
            writer.write(b"S")
            await writer.start_tls(context)
            inner = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(_pass_on(reader, inner[1]), _pass_on(inner[0], writer))
        writer.close()

    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(took, "127.0.0.1", 0))
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(loop.run_forever)
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            loop.call_soon_threadsafe(loop.stop)
            running.result()
            server.close()
            for task in asyncio.all_tasks(loop):
                task.cancel()
                with suppress(asyncio.CancelledError):
                    loop.run_until_complete(task)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


async def _pass_on(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
