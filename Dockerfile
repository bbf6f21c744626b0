# The service in an image that holds Python, the locked packages and nothing to build with. Build and run it:
#   docker build --tag ginrummy .
#   docker run --publish 8000:8000 --volume ginrummy:/data ginrummy
# Without settings it keeps an SQLite file in /data; deploy/ginrummy.env shows the settings for PostgreSQL:
#   docker run --env-file deploy/ginrummy.env ginrummy migrate
#   docker run --env-file deploy/ginrummy.env --publish 8000:8000 ginrummy
FROM python:3.11-slim AS build
WORKDIR /src
RUN python -m venv /opt/ginrummy
COPY requirements.txt ./
RUN /opt/ginrummy/bin/pip install --no-cache-dir --require-hashes --requirement requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY engine engine
COPY service service
COPY migrations migrations
COPY openapi openapi
RUN /opt/ginrummy/bin/pip install --no-cache-dir --no-build-isolation --no-deps .

FROM python:3.11-slim
RUN useradd --system --uid 10001 --create-home --home-dir /data ginrummy
COPY --from=build /opt/ginrummy /opt/ginrummy
USER ginrummy
WORKDIR /data
VOLUME /data
ENV PATH=/opt/ginrummy/bin:$PATH PYTHONUNBUFFERED=1 GINRUMMY_DATABASE_URL=sqlite:////data/ginrummy.db
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
ENTRYPOINT ["ginrummy"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
