"""A fleet of made-up hosts, each with the results and metrics of this machine at a pace of its own: what the report,
the ranking, the rules and the plans of such a fleet cost."""

import argparse
import http.server
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

WORK = ["AES-128-GCM", "AES-256-GCM", "ChaCha20-Poly1305", "AES-256-XTS", "--sizes", "1420,16KiB"]
# Prometheus asks for so many texts.
PARTS = 10
# Every so many hosts one has a stale plan, and one is a quarter slower than its kind.
STALE, SLOW = 100, 125


def say(text):
    print(text, file=sys.stderr, flush=True)


def begin():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--hosts", type=int, default=10_000)
    words.add_argument("--kinds", type=int, default=40)
    words.add_argument("--release", required=True, help="the folder with the program and the module")
    words.add_argument("--rules", required=True, help="the rules for Prometheus")
    arguments = words.parse_args()
    # What was started ends with this, whatever ends it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="wirespeed-fleet.") as folder:
        os.chdir(folder)
        simulate(arguments, arguments.release + "/wirespeed")


def simulate(arguments, wirespeed):
    say("measuring this machine")
    real = measured(wirespeed, arguments.release + "/libwirespeed.so")
    say(f"making {arguments.hosts} hosts of {arguments.kinds} kinds")
    results(arguments, real)
    print(f"{'':32}{'time':>9}{'memory':>11}")
    line("report --fleet", [wirespeed, "report", "--fleet", "results", "--output", "fleet.html"])
    line("compare --best-for vpn", [wirespeed, "compare", "--best-for", "vpn", "results"])
    with open("fleet.html", encoding="utf-8") as page:
        assert f"<p>{arguments.hosts} hosts of {arguments.kinds} kinds." in page.read()
    say("measuring a plan, quickly")
    _, took = timed([wirespeed, "tune", "--quick", "--output", "plan"])
    size, page = os.path.getsize("plan"), os.path.getsize("fleet.html")
    prometheus(arguments, metrics(arguments, real))
    print()
    print(f"report                          {page / 1024:8.0f} KiB")
    print(f"plan                            {size / 1024:8.0f} KiB, in {took:.0f} s")
    print(f"plans sent to all hosts         {size * arguments.hosts / 2**20:8.0f} MiB")
    print(f"measured, one host of each kind {arguments.kinds * took / 60:8.0f} min, side by side {took:.0f} s")
    print(f"measured, every host            {arguments.hosts * took / 3600:8.0f} h")


def measured(wirespeed, module):
    """What a host of a fleet keeps: results, counters, and its two files of metrics."""
    with open("openssl.cnf", "w", encoding="utf-8") as file:
        file.write(f"""openssl_conf = all
[all]
providers = those
[those]
default = ours
wirespeed = theirs
[ours]
activate = 1
[theirs]
module = {module}
activate = 1
stats = {os.getcwd()}/counters
""")
    os.mkdir("counters")
    loaded = os.environ | {"OPENSSL_CONF": "openssl.cnf"}
    for cipher in ("aes-256-gcm", "chacha20-poly1305"):
        speed = ["openssl", "speed", "-seconds", "1", "-bytes", "1420", "-evp", cipher]
        subprocess.run(speed, env=loaded, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    bench = [wirespeed, "bench", *WORK, "--json", "result.json", "--prometheus", "bench.prom"]
    subprocess.run(bench, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([wirespeed, "stats", "counters", "--json", "stats.json"], check=True, stdout=subprocess.DEVNULL)
    # It finds something to mend in that openssl.cnf.
    doctor = [wirespeed, "doctor", "--prometheus", "doctor.prom"]
    subprocess.run(doctor, env=loaded, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # As node_exporter tells it of both files, and a plan that was put to work.
    text = read("doctor.prom") + read("bench.prom")
    text += f'node_textfile_mtime_seconds{{file="/var/lib/wirespeed.prom"}} {time.time():.0f}\n'
    text += "wirespeed_plan_fits 1\nwirespeed_plan_age_seconds 3600\n"
    return {"result": json.loads(read("result.json")), "stats": read("stats.json"), "metrics": text}


def read(name):
    with open(name, encoding="utf-8") as file:
        return file.read()


def kind(host, arguments):
    return host % arguments.kinds


def pace(host, arguments):
    """Kinds differ by much, hosts of one kind hardly."""
    own = 0.75 if host % SLOW == SLOW - 1 else 1 - 0.05 * random.Random(host).random()
    return own * (0.2 + kind(host, arguments) / arguments.kinds)


def results(arguments, real):
    os.mkdir("results")
    rates = [row["bytes_per_second"] for row in real["result"]["rows"]]
    for host in range(arguments.hosts):
        result, factor = real["result"], pace(host, arguments)
        result["machine"]["cpu"]["brand"] = f"Made-up CPU {kind(host, arguments)}"
        for row, rate in zip(result["rows"], rates):
            row["bytes_per_second"] = rate * factor
        with open(f"results/host{host}.json", "w", encoding="utf-8") as file:
            json.dump(result, file)
        with open(f"results/host{host}.stats.json", "w", encoding="utf-8") as file:
            file.write(real["stats"])


def metrics(arguments, real):
    """All metrics as Prometheus would have them, with a label for the host; how many a host has."""
    os.mkdir("metrics")
    samples = [re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", each) for each in real["metrics"].splitlines() if each[0] != "#"]
    for part in range(PARTS):
        with open(f"metrics/{part}", "w", encoding="utf-8") as file:
            for host in range(part, arguments.hosts, PARTS):
                factor = pace(host, arguments)
                for name, labels, value in (sample.groups() for sample in samples):
                    if name == "wirespeed_bench_bytes_per_second":
                        value = float(value) * factor
                    elif name == "wirespeed_plan_fits" and host % STALE == 0:
                        value = 0
                    elif name == "wirespeed_doctor_fault":
                        value = 0
                    elif name == "wirespeed_info":
                        labels = re.sub('kind="[^"]*"', f'kind="kind{kind(host, arguments)}"', labels)
                    labels = f'instance="host{host}"' + (f",{labels}" if labels else "")
                    file.write(f"{name}{{{labels}}} {value}\n")
    return len(samples)


def timed(command):
    """What a command used, and how long it took."""
    began = time.monotonic()
    with open("said", "w", encoding="utf-8") as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, read("said")
    return usage, time.monotonic() - began


def line(name, command):
    usage, took = timed(command)
    print(f"{name:32}{took:7.1f} s{usage.ru_maxrss / 1024:7.0f} MiB", flush=True)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def prometheus(arguments, series):
    """The real one takes all of them and judges them by the rules."""
    say("Prometheus takes their metrics")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    targets = [f"127.0.0.1:{server.server_port}"]
    jobs = [
        {"job_name": f"part{part}", "honor_labels": True, "metrics_path": f"/metrics/{part}",
         "static_configs": [{"targets": targets}]}
        for part in range(PARTS)
    ]
    every = {"scrape_interval": "1m", "scrape_timeout": "1m", "evaluation_interval": "15s"}
    with open("prometheus.yml", "w", encoding="utf-8") as file:
        # JSON is YAML.
        json.dump({"global": every, "rule_files": [arguments.rules], "scrape_configs": jobs}, file)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data", f"--web.listen-address={address}"]
    with open("prometheus.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        judged(arguments.hosts, series, address)
    finally:
        process.kill()
        process.wait()
        server.shutdown()
        shutil.rmtree("data", ignore_errors=True)


def judged(hosts, series, address):
    def one(query):
        place = f"http://{address}/api/v1/query?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(place, timeout=60) as answer:
            result = json.load(answer)["data"]["result"]
        return float(result[0]["value"][1]) if result else 0.0

    def soon(query, wanted):
        for _ in range(400):
            try:
                got = one(query)
                if got == wanted:
                    return
            except OSError:
                got = "no answer"
            time.sleep(1)
        sys.exit(f"{query} is {got}, not {wanted}:\n{read('prometheus.log')[-2000:]}")

    soon("count(wirespeed_module_loaded)", hosts)
    soon('count(ALERTS{alertname="WirespeedPlanStale"})', len(range(0, hosts, STALE)))
    soon('count(ALERTS{alertname="WirespeedHostsDiffer"})', len(range(SLOW - 1, hosts, SLOW)))
    soon("count(instance:wirespeed_behind_kind:ratio)", hosts)
    # A round of rules by itself.
    time.sleep(20)
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
        own = dict(it.rsplit(" ", 1) for it in answer.read().decode().splitlines() if it[0] != "#")
    took = next(float(value) for name, value in own.items() if name.startswith("prometheus_rule_group_last_duration"))
    memory = float(own["process_resident_memory_bytes"])
    print(f"{'rules, each time':32}{took:7.1f} s{memory / 2**20:7.0f} MiB, {series} series a host", flush=True)


begin()
