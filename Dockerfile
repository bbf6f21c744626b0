# The service in an image that holds Python, the locked packages and nothing to build with. Build and run it:
#   docker build --tag ginrummy:0.1.0 .
#   docker run --publish 8000:8000 --volume ginrummy:/data ginrummy:0.1.0
# Without settings it keeps an SQLite file in /data, the only place it writes to, so --read-only does no harm.
# docs/deploy.md tells of PostgreSQL, several replicas and a proxy.
FROM python:3.11.14-slim-trixie AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/ginrummy
COPY requirements.txt ./
RUN /opt/ginrummy/bin/pip install --require-hashes --only-binary :all: --requirement requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY service service
COPY migrations migrations
COPY openapi openapi
RUN /opt/ginrummy/bin/pip install --no-build-isolation --no-deps . \
    && /opt/ginrummy/bin/pip uninstall --yes hatchling editables setuptools pip

FROM python:3.11.14-slim-trixie
RUN useradd --system --uid 10001 --no-create-home --home-dir /data ginrummy \
    && install --directory --owner ginrummy --mode 0700 /data
COPY --from=build /opt/ginrummy /opt/ginrummy
USER 10001
WORKDIR /data
VOLUME /data
ENV PATH=/opt/ginrummy/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    GINRUMMY_DATABASE_URL=sqlite:////data/ginrummy.db
EXPOSE 8000
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
ENTRYPOINT ["ginrummy"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
